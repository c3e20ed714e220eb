/** A prompter that returns replies in order and records the questions. */
import type { Choice, Prompter, Question } from '../../../src/cli/io/prompter.ts';

export type ScriptedAnswer = unknown | ((question: Question) => unknown);

export interface ScriptedPrompter {
  readonly prompter: Prompter;
  readonly questions: Question[];
}

/** Fails after the last reply. */
export function createScriptedPrompter(...replies: readonly ScriptedAnswer[]): ScriptedPrompter {
  const questions: Question[] = [];
  const prompter: Prompter = async (question) => {
    const reply = replies[questions.length];
    questions.push(question);
    if (questions.length > replies.length) throw new Error(`no reply for ${question.type} ${question.message}`);
    return typeof reply === 'function' ? reply(question) : reply;
  };
  return { prompter, questions };
}

/** Returns the choices of a search for a term. */
export async function searchChoices(question: Question | undefined, term?: string): Promise<readonly Choice[]> {
  if (question?.type !== 'search') throw new Error(`no search: ${question?.type}`);
  return question.source(term, { signal: new AbortController().signal });
}
