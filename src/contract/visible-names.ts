/**
 * Characters in names that a reader cannot see or that reorder text: default-ignorable code points (UAX #44),
 * bidirectional controls (UAX #9), the blank Braille pattern and the anchors of annotations. Two names that differ only
 * by them look the same.
 */
export const invisibleCharacters = '\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\u2800\\ufff9-\\ufffb';

const invisible = new RegExp(`[${invisibleCharacters}]`, 'u');
const allInvisible = new RegExp(invisible, 'gu');
const outerSpaces = /^\p{White_Space}+|\p{White_Space}+$/gu;
const plainName = /^[!-~](?:[ -~]*[!-~])?$/;

/** What a reader sees of a name: in NFC, without invisible characters and without spaces at the ends. */
export function toVisibleName(name: string): string {
  if (plainName.test(name)) return name;
  return name.normalize('NFC').replace(allInvisible, '').replace(outerSpaces, '').normalize('NFC');
}

/** What a name that is not visible as a whole must not do; undefined for every other name. */
export function describeInvisible(name: string): string | undefined {
  if (plainName.test(name)) return undefined;
  if (invisible.test(name)) return 'must not contain invisible characters or controls of the text direction';
  return name.replace(outerSpaces, '') === name ? undefined : 'must not start or end with a space';
}
