/** Lays out explanations. Their text comes from declarations, so it has no control or wide characters. */
import { Help } from 'commander';

type Row = readonly [name: string, text: string];

/** The width of a name up to which texts are aligned. */
const maxNameWidth = 26;

/** Wraps a paragraph at words. */
export function formatParagraph(text: string, width: number): string[] {
  return new Help().boxWrap(text, width).split('\n');
}

/** Formats names with texts, which wrap with a hanging indent. A long name has its text on the next line. */
export function formatItems(rows: readonly Row[], width: number, indent = '  '): string[] {
  const widest = rows.reduce((most, [name]) => (name.length > maxNameWidth ? most : Math.max(most, name.length)), 0);
  return rows.flatMap(([name, text]) => {
    const start = ' '.repeat(indent.length + widest + 2);
    const [first = '', ...rest] = formatParagraph(text, width - start.length);
    const lines = rest.map((line) => start + line);
    if (name.length > widest) return [indent + name, start + first, ...lines];
    return [`${indent}${name.padEnd(widest)}  ${first}`.trimEnd(), ...lines];
  });
}

/** Formats a section after an empty line; nothing without rows. */
export function formatSection(heading: string, rows: readonly Row[], width: number): string[] {
  return rows.length === 0 ? [] : ['', heading, ...formatItems(rows, width)];
}

/** The width of text: that of the terminal up to 100 columns, as for help. */
export function textWidth(columns = 80): number {
  return Math.min(columns, 100);
}
