/**
 * Escapes for characters that can steer a terminal or change the order of reading: control characters (C0, DEL, C1), line
 * and paragraph separators, bidirectional controls (UAX #9), and the byte order mark. The one place that says which. Pure.
 */

/** As JSON writes them. Line breaks and tabs come as they are where a text has structure. */
const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const otherControls = '\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f\\ufeff';
const allControls = new RegExp(`[\\u0000-\\u001f${otherControls}]`, 'g');
const controlsExceptBreaksAndTabs = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${otherControls}]`, 'g');

/** Text for one line: each of these characters becomes visible, such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(allControls, (letter) => shortForms[letter] ?? toUnicodeEscape(letter));
}

/** Text of several lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

/** Text in which line breaks and tabs stay, and everything else has one form: `\u000d` for a carriage return. */
export function escapeInText(text: string): string {
  return text.replace(controlsExceptBreaksAndTabs, toUnicodeEscape);
}

/** Whether such a character is in it, line breaks and tabs aside. */
export function hasControls(text: string): boolean {
  return text.search(controlsExceptBreaksAndTabs) >= 0;
}

/** JSON that says the same, and in which each of these characters is an escape. */
export function jsonText(value: unknown, indent?: number): string {
  // In JSON they can stand only within strings; what is below U+0020 is escaped there already.
  return escapeInText(JSON.stringify(value, null, indent));
}

function toUnicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
