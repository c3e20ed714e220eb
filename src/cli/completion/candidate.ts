/** What can stand at the cursor, and what of it may reach a shell. Pure. */
import { escapeControls } from '../runtime/control-characters.ts';

export interface Candidate {
  readonly value: string;
  /** What it is, for shells that show that. */
  readonly text?: string | undefined;
}

export interface Completions {
  readonly values: readonly Candidate[];
  /** Files fit, which the shell knows best. */
  readonly files?: boolean;
  /** More belongs to the same word: `name=` wants a value, not a blank. */
  readonly open?: boolean;
}

export const noCompletions: Completions = { values: [] };

const maxValueLength = 256;
const maxTextLength = 80;

/**
 * Leaves out what no shell can show or take back as it is: control characters, signs that turn the direction of
 * reading, halves of characters, and what is empty or endless. Each value comes once.
 */
export function sanitizeCompletions(completions: Completions): Completions {
  const seen = new Map<string, Candidate>();
  for (const { value, text } of completions.values)
    if (isPresentable(value) && !seen.has(value)) seen.set(value, { value, ...(text ? { text: truncate(text) } : {}) });
  return { ...completions, values: [...seen.values()] };
}

function isPresentable(value: string): boolean {
  return (
    value !== '' && value.length <= maxValueLength && escapeControls(value) === value && !/\p{Surrogate}/u.test(value)
  );
}

function truncate(text: string): string {
  const letters = [...escapeControls(text).replace(/\p{Surrogate}/gu, '')];
  return letters.length > maxTextLength ? `${letters.slice(0, maxTextLength - 2).join('')}..` : letters.join('');
}

/** The same candidates behind what stands before them in their word, such as `--role=` or `A,`. */
export function withPrefix(head: string, completions: Completions): Completions {
  if (head === '') return completions;
  return {
    ...completions,
    values: completions.values.map((candidate) => ({ ...candidate, value: head + candidate.value })),
  };
}
