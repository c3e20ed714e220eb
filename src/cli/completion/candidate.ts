/** Completion candidates and their sanitization. Pure. */
import { escapeHidden } from '../io/control-characters.ts';

export interface Candidate {
  readonly value: string;
  /** Its description, for shells that display one. */
  readonly text?: string | undefined;
}

/** A line of the output for shells. */
export function formatCandidate({ value, text }: Candidate): string {
  return text ? `${value}\t${text}` : value;
}

export interface Completions {
  readonly values: readonly Candidate[];
  /** Files complete the word; the shell lists them. */
  readonly files?: boolean;
  /** The word continues: no space after `name=`. */
  readonly open?: boolean;
}

export const noCompletions: Completions = { values: [] };

const maxValueLength = 256;
const maxTextLength = 80;

/**
 * Removes candidates that a shell cannot display or insert: control characters, bidirectional controls,
 * lone surrogates, empty and overlong values. Removes duplicates.
 */
export function sanitizeCompletions(completions: Completions): Completions {
  const seen = new Map<string, Candidate>();
  for (const { value, text } of completions.values)
    if (isPresentable(value) && !seen.has(value)) seen.set(value, { value, ...(text ? { text: truncate(text) } : {}) });
  return { ...completions, values: [...seen.values()] };
}

function isPresentable(value: string): boolean {
  return (
    value !== '' && value.length <= maxValueLength && escapeHidden(value) === value && !/\p{Surrogate}/u.test(value)
  );
}

function truncate(text: string): string {
  const letters = [...escapeHidden(text).replace(/\p{Surrogate}/gu, '')];
  return letters.length > maxTextLength ? `${letters.slice(0, maxTextLength - 2).join('')}..` : letters.join('');
}

/** Prefixes candidates with the preceding part of their word, such as `--role=` or `A,`. */
export function withPrefix(head: string, completions: Completions): Completions {
  if (head === '') return completions;
  return {
    ...completions,
    values: completions.values.map((candidate) => ({ ...candidate, value: head + candidate.value })),
  };
}
