/* A harness for @FORMAT@: it answers the questions of `journalspec run`, one JSON object per line.
 * Build it with `make`, then: journalspec run --impl ./harness --format @FORMAT@ */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HELLO[] = "\"protocol\":1,\"impl\":{\"name\":\"my-@FORMAT@\",\"version\":\"0\"},"
                            "\"formats\":{\"@FORMAT@\":@CLAIMS_QUOTED@}";

/* Print what the files in `dir` hold: integers as decimal strings, bytes as hex digits, as in
 * "ok":{"verdict":"clean","records":[...]}. */
static void read_journal(const char *dir, const char *edition) {
    (void)dir, (void)edition;
    fputs("\"unsupported\":{\"what\":\"read\"}", stdout);
}

/* Print what recovery keeps under `policy`. */
static void recover(const char *dir, const char *edition, const char *policy) {
    (void)dir, (void)edition, (void)policy;
    fputs("\"unsupported\":{\"what\":\"recover\"}", stdout);
}

/* Return the JSON of a member of an object as a new string, empty if it has none of this name. */
static char *member(const char *line, const char *name) {
    const char *key = NULL, *value = line;
    size_t size = 0;
    int depth = 0;
    for (const char *at = line; *at; at++) {
        if (*at == '"') {
            const char *start = ++at;
            while (*at && *at != '"')
                at += *at == '\\' && at[1] ? 2 : 1;
            if (depth == 1 && !key)
                key = start, size = (size_t)(at - start);
            if (!*at)
                break;
        } else if (*at == ':' && depth == 1) {
            value = at + 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == ',' || *at == '}' || *at == ']') {
            if (depth == 1) {
                if (key && size == strlen(name) && !strncmp(key, name, size)) {
                    while (*value == ' ')
                        value++;
                    return strndup(value, (size_t)(at - value));
                }
                key = NULL;
            }
            depth -= *at != ',';
        }
    }
    return strdup("");
}

/* Return a character as UTF-8 at `to`, and where the next one goes. */
static char *encoded(unsigned long code, char *to) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xf00 >> more) | (code >> 6 * more));
    while (more--)
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

/* Return the text of a member of an object as a new string; its escapes are undone. */
static char *text(const char *line, const char *name) {
    static const char plain[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char *value = member(line, name), *to = value;
    for (const char *at = value + (*value == '"'); *at && *at != '"'; at++) {
        if (*at != '\\') {
            *to++ = *at;
        } else if (*++at == 'u') {
            char digits[5] = {0};
            unsigned long code = strtoul(memcpy(digits, at + 1, 4), NULL, 16);
            at += 4;
            if (code >= 0xd800 && code < 0xdc00 && at[1] == '\\') {
                code = 0x10000 + ((code - 0xd800) << 10) + (strtoul(memcpy(digits, at + 3, 4), NULL, 16) - 0xdc00);
                at += 6;
            }
            to = encoded(code, to);
        } else {
            const char *known = strchr(plain, *at);
            *to++ = known ? meant[known - plain] : *at;
        }
    }
    *to = 0;
    return value;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *command = text(line, "cmd"), *seq = member(line, "seq");
        char *dir = text(line, "dir"), *edition = text(line, "edition"), *policy = text(line, "policy");
        if (!strcmp(command, "bye"))
            return 0;
        printf("{\"seq\":%s,", seq);
        if (!strcmp(command, "read"))
            read_journal(dir, edition);
        else if (!strcmp(command, "recover"))
            recover(dir, edition, policy);
        else
            fputs(HELLO, stdout);
        puts("}");
        fflush(stdout); /* the runner waits for the line */
        free(command), free(seq), free(dir), free(edition), free(policy);
    }
    return 0;
}
