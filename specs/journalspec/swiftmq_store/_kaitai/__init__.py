"""Generated from the .ksy files beside it by tools/kaitai/generate.mjs; do not edit."""
