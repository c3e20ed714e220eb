/**
 * Escapes characters that can control a terminal, reorder text or hide: control characters (C0, DEL, C1), line and
 * paragraph separators, and the characters that no new name may contain. Pure.
 */
import { invisibleCharacters } from '../../contract/visible-names.ts';

/** JSON escapes. Line breaks and tabs remain in multi-line text. */
const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const otherControls = `\\u007f-\\u009f\\u2028\\u2029${invisibleCharacters}`;
/** The selector of the emoji form, after an emoji. */
const ofEmoji = '(?<=\\p{Extended_Pictographic})\\ufe0f';
const allControls = new RegExp(`(?!${ofEmoji})[\\u0000-\\u001f${otherControls}]`, 'gu');
const controlsExceptBreaksAndTabs = new RegExp(`(?!${ofEmoji})[\\u0000-\\u0008\\u000b-\\u001f${otherControls}]`, 'gu');

/** Escapes text for one line: each of these characters becomes visible, such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(allControls, (letter) => shortForms[letter] ?? toUnicodeEscape(letter));
}

/** Escapes text of several lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

/** Escapes text but keeps line breaks and tabs. Every escape has the form `\u000d`. */
export function escapeInText(text: string): string {
  return text.replace(controlsExceptBreaksAndTabs, toUnicodeEscape);
}

/** Whether text contains such a character, apart from line breaks and tabs. */
export function hasControls(text: string): boolean {
  return text.search(controlsExceptBreaksAndTabs) >= 0;
}

/** Serializes to JSON with each of these characters escaped. */
export function jsonText(value: unknown, indent?: number): string {
  // In JSON they occur only within strings, where those below U+0020 are already escaped.
  return escapeInText(JSON.stringify(value, null, indent));
}

/** One escape for each UTF-16 code unit, as in JSON. */
function toUnicodeEscape(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
