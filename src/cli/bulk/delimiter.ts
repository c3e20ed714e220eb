/** The delimiters of CSV cells, and how to find that of a file. Loads no parser. */

export type CsvDelimiter = ',' | ';' | '\t' | '|';

/** Without the bar, which is more often text than a delimiter. */
const detected: readonly CsvDelimiter[] = [',', ';', '\t'];

/** Whether cells can be separated by this text. */
export function isDelimiter(text: string): text is CsvDelimiter {
  return text === '|' || (detected as readonly string[]).includes(text);
}

/** Returns the most frequent delimiter outside quotes; a comma if there is none. */
export function detectDelimiter(headerLine: string): CsvDelimiter {
  const unquoted = headerLine.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return detected.reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
}

/** The delimiter in a first line `sep=;`, which Excel writes and reads; undefined for any other line. */
export function readSeparatorLine(line: string): CsvDelimiter | undefined {
  const [, text = ''] = /^sep=(.)\r?$/i.exec(line) ?? [];
  return isDelimiter(text) ? text : undefined;
}
