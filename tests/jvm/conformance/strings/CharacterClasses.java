package strings;

/** Unicode properties of characters in every plane. */
public class CharacterClasses {
    public static void main(String[] args) {
        int[] types = new int[40];
        int letters = 0;
        int upper = 0;
        int ident = 0;
        long fold = 0;
        for (int c = 0; c < 0x30000; c++) {
            types[Character.getType(c)]++;
            letters += Character.isLetterOrDigit(c) ? 1 : 0;
            upper += Character.isUpperCase(c) ? 1 : 0;
            ident += Character.isJavaIdentifierPart(c) ? 1 : 0;
            fold += Character.toLowerCase(c) * 31L + Character.toUpperCase(c) + Character.toTitleCase(c) + Character.getNumericValue(c) + Character.getDirectionality(c);
        }
        System.out.println(java.util.Arrays.toString(types) + " " + letters + " " + upper + " " + ident + " " + fold);
        System.out.println(Character.getName('a') + " " + Character.getName(0x1f600) + " " + Character.UnicodeBlock.of('α') + " " + Character.UnicodeScript.of('я') + " " + Character.digit('９', 10) + " " + Character.forDigit(11, 16));
        System.out.println(Character.isSurrogatePair('\ud83d', '\ude00') + " " + Character.toCodePoint('\ud83d', '\ude00') + " " + Character.isMirrored('(') + " " + Character.isIdeographic('漢'));
    }
}
