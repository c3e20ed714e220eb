/** Escapes characters that can control a terminal, reorder text or hide. Pure. */
import { showEmails } from '../../contract/email/email-address.ts';
import { escapeInText, escapeLookAlikes, hiddenExceptBreaksAndTabs } from '../../contract/visible-names.ts';

/** JSON escapes. Line breaks and tabs remain in multi-line text. */
const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Escapes text for a person, on one line: these characters become visible, such as `\u001b`, and letters that look like
 * others. Domains of addresses are shown in Unicode.
 */
export function escapeControls(text: string): string {
  return escapeLookAlikes(escapeHidden(showEmails(text)));
}

/** Escapes only these characters: for a line that a program or a shell reads. */
export function escapeHidden(text: string): string {
  return escapeInText(text.replace(/[\n\r\t]/g, (letter) => shortForms[letter] ?? letter));
}

/** Escapes text of several lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

/** Whether text contains such a character, apart from line breaks and tabs. */
export function hasControls(text: string): boolean {
  return text.search(hiddenExceptBreaksAndTabs) >= 0;
}

/** Serializes to JSON with each of these characters escaped. */
export function jsonText(value: unknown, indent?: number): string {
  // In JSON they occur only within strings, where those below U+0020 are already escaped.
  return escapeInText(JSON.stringify(value, null, indent));
}
