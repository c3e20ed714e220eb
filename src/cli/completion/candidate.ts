/** What can stand at the cursor, and what of it may reach a shell. Pure. */
import { escapeControls } from '../runtime/control-characters.ts';

export interface Candidate {
  readonly value: string;
  /** What it is, for shells that show that. */
  readonly text?: string | undefined;
}

export interface Answer {
  readonly values: readonly Candidate[];
  /** Files fit, which the shell knows best. */
  readonly files?: boolean;
  /** More belongs to the same word: `name=` wants a value, not a blank. */
  readonly open?: boolean;
}

export const nothing: Answer = { values: [] };

const longestValue = 256;
const longestText = 80;

/**
 * Leaves out what no shell can show or take back as it is: control characters, signs that turn the direction of
 * reading, halves of characters, and what is empty or endless. Each value comes once.
 */
export function presentable(answer: Answer): Answer {
  const seen = new Map<string, Candidate>();
  for (const { value, text } of answer.values)
    if (isPresentable(value) && !seen.has(value))
      seen.set(value, { value, ...(text ? { text: shortened(text) } : {}) });
  return { ...answer, values: [...seen.values()] };
}

function isPresentable(value: string): boolean {
  return (
    value !== '' && value.length <= longestValue && escapeControls(value) === value && !/\p{Surrogate}/u.test(value)
  );
}

function shortened(text: string): string {
  const letters = [...escapeControls(text).replace(/\p{Surrogate}/gu, '')];
  return letters.length > longestText ? `${letters.slice(0, longestText - 2).join('')}..` : letters.join('');
}

/** The same candidates behind what stands before them in their word, such as `--role=` or `A,`. */
export function behind(head: string, answer: Answer): Answer {
  if (head === '') return answer;
  return { ...answer, values: answer.values.map((candidate) => ({ ...candidate, value: head + candidate.value })) };
}
