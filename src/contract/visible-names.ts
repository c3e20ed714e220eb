/** Spaces that look like U+0020. The wide one of East Asian texts, U+3000, does not. */
const otherSpaces = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f';

/** Noncharacters (Unicode, 23.7), and U+FFFD, which stands for what a decoder could not read. Fonts have one box for all. */
const unreadableCharacters = '\\p{Noncharacter_Code_Point}\\ufffd';

/**
 * Characters in names that a reader cannot see or tell from a space, or that reorder text: default-ignorable code points
 * (UAX #44), bidirectional controls (UAX #9), the blank Braille pattern and the anchors of annotations. Two names that
 * differ only by them look the same. Unassigned code points can be letters of a later Unicode, and those of private use
 * have a meaning for their users.
 */
export const invisibleCharacters = `\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\u2800\\ufff9-\\ufffb${otherSpaces}${unreadableCharacters}`;

const unreadable = new RegExp(`[${unreadableCharacters}]`, 'u');
const invisible = new RegExp(`[${invisibleCharacters}]`, 'u');
const allInvisible = new RegExp(invisible, 'gu');
const allOtherSpaces = new RegExp(`[${otherSpaces}]`, 'gu');
const outerSpaces = /^\p{White_Space}+|\p{White_Space}+$/gu;
const plainName = /^[!-~](?:[ -~]*[!-~])?$/;

/** What a reader sees of a name: in NFC, with plain spaces, without invisible characters and spaces at the ends. */
export function toVisibleName(name: string): string {
  if (plainName.test(name)) return name;
  const spaced = name.normalize('NFC').replace(allOtherSpaces, ' ');
  return spaced.replace(allInvisible, '').replace(outerSpaces, '').normalize('NFC');
}

/** What a name that is not visible as a whole must not do; undefined for every other name. */
export function describeInvisible(name: string): string | undefined {
  if (plainName.test(name)) return undefined;
  if (unreadable.test(name))
    return 'must not contain U+FFFD or a noncharacter, which appear when a text is read in the wrong encoding';
  if (invisible.test(name))
    return 'must not contain invisible characters, spaces other than U+0020 and U+3000, or controls of the text direction';
  return name.replace(outerSpaces, '') === name ? undefined : 'must not start or end with a space';
}

/** The selector of the emoji form, after an emoji. */
const ofEmoji = '(?<=\\p{Extended_Pictographic})\\ufe0f';

/**
 * Characters that can control a terminal, reorder text or hide: control characters (C0, DEL, C1), line and paragraph
 * separators, and those that no new name may contain.
 */
export const hiddenExceptBreaksAndTabs = new RegExp(
  `(?!${ofEmoji})[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029${invisibleCharacters}]`,
  'gu',
);

/** Escapes these characters, each UTF-16 code unit as in JSON: `\u000d`. */
export function escapeInText(text: string): string {
  return plainName.test(text) ? text : text.replace(hiddenExceptBreaksAndTabs, toUnicodeEscape);
}

/** Shows these characters by their code points, for a page: `⟨U+202E⟩`. */
export function markHidden(text: string): string {
  return plainName.test(text) ? text : text.replace(hiddenExceptBreaksAndTabs, (letter) => `⟨${toCodePoint(letter)}⟩`);
}

function toCodePoint(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Letters of scripts with look-alikes of Latin letters (UTS #39), and the Latin letters of other widths and styles. */
const lookAlikes =
  '\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Armenian}\\p{sc=Cherokee}\\p{sc=Lisu}\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}';

/** Escapes letters within a word of ASCII letters that can pass for those: the first one of `аdmin` in Cyrillic. */
export function escapeLookAlikes(text: string): string {
  if (plainName.test(text)) return text;
  // Compiled for the few texts that need them: it takes a millisecond.
  const wordWithLookAlikes = new RegExp(`[\\p{L}\\p{M}\\p{N}_]*[${lookAlikes}][\\p{L}\\p{M}\\p{N}_]*`, 'gu');
  const allLookAlikes = new RegExp(`[${lookAlikes}]`, 'gu');
  return text.replace(wordWithLookAlikes, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(allLookAlikes, toUnicodeEscape) : word,
  );
}

function toUnicodeEscape(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
