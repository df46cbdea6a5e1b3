// Prints every field that the generated Java parsers find in the files named on standard input.
// The form of a line is told in test_parsers.py.
import io.kaitai.struct.ByteBufferKaitaiStream;
import io.kaitai.struct.KaitaiStream;
import io.kaitai.struct.KaitaiStruct;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

public class Main {
    static String hex(byte[] data, int from, int to) {
        StringBuilder out = new StringBuilder();
        for (int i = from; i < to; i++) out.append(String.format("%02x", data[i]));
        return out.toString();
    }

    static String raw(byte[] data) {
        int size = data.length;
        if (size == 0) return "";
        if (size <= 64) return "x" + hex(data, 0, size);
        return "x" + size + ":" + hex(data, 0, 16) + ":" + hex(data, size - 16, size);
    }

    /** `instances` are computed values, which stand among the fields of a Java class. */
    static String dump(Object value, Set<String> instances) throws Exception {
        if (value == null) return "";
        if (value instanceof byte[]) return raw((byte[]) value);
        if (value instanceof String) return raw(((String) value).getBytes(StandardCharsets.UTF_8));
        if (value instanceof Boolean) return (Boolean) value ? "1" : "";
        if (value instanceof Enum) return dump(value.getClass().getMethod("id").invoke(value), instances);
        if (value instanceof Float || value instanceof Double) {
            double number = ((Number) value).doubleValue();
            return number == 0 ? "" : (number == Math.rint(number) ? "" : "~") + (long) number;
        }
        if (value instanceof Number) return ((Number) value).longValue() == 0 ? "" : value.toString();
        List<String> parts = new ArrayList<>();
        if (value instanceof List) {
            for (Object item : (List<?>) value) parts.add(dump(item, instances));
            return parts.isEmpty() ? "" : "[" + String.join(",", parts) + "]";
        }
        for (Field field : value.getClass().getDeclaredFields()) {
            String name = field.getName().toLowerCase();
            if (name.startsWith("_") || instances.contains(name)) continue;
            field.setAccessible(true);
            String text = dump(field.get(value), instances);
            if (!text.isEmpty()) parts.add(name + "=" + text);
        }
        Collections.sort(parts);
        return "{" + String.join(" ", parts) + "}";
    }

    static Object parse(String name, KaitaiStream io, String parameter) throws Exception {
        Class<?> kind = Class.forName("journalspec.parsers." + name.replace('.', '$'));
        if (parameter.isEmpty()) return kind.getConstructor(KaitaiStream.class).newInstance(io);
        if (parameter.equals("true") || parameter.equals("false"))
            return kind.getConstructor(KaitaiStream.class, boolean.class).newInstance(io, parameter.equals("true"));
        return kind.getConstructor(KaitaiStream.class, int.class).newInstance(io, Integer.parseInt(parameter));
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split("\t", -1);
            KaitaiStream io = new ByteBufferKaitaiStream(Files.readAllBytes(Paths.get(parts[0])));
            try {
                Object tree = parse(parts[2], io, parts[3]);
                System.out.println(dump(tree, new HashSet<>(Arrays.asList(parts[4].split(",")))));
            } catch (InvocationTargetException error) {
                System.out.println("error " + error.getCause());
            }
        }
    }
}
