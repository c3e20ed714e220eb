/**
 * Escapes characters that can control a terminal or reorder text: control characters (C0, DEL, C1), line
 * and paragraph separators, bidirectional controls (UAX #9) and the byte order mark. Pure.
 */

/** JSON escapes. Line breaks and tabs remain in multi-line text. */
const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const otherControls = '\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f\\ufeff';
const allControls = new RegExp(`[\\u0000-\\u001f${otherControls}]`, 'g');
const controlsExceptBreaksAndTabs = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${otherControls}]`, 'g');

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

function toUnicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
