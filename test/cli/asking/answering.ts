/** Somebody at a terminal who answers questions in their order, and remembers what was asked. */
import type { Choice, Gateway, Question } from '../../../src/cli/runtime/questions.ts';

export type Reply = unknown | ((question: Question) => unknown);

export interface Answering {
  readonly gateway: Gateway;
  readonly asked: Question[];
}

/** Fails the run at a question that has no answer left. */
export function answering(...replies: readonly Reply[]): Answering {
  const asked: Question[] = [];
  const gateway: Gateway = async (question) => {
    const reply = replies[asked.length];
    asked.push(question);
    if (asked.length > replies.length) throw new Error(`nobody answers ${question.type} ${question.message}`);
    return typeof reply === 'function' ? reply(question) : reply;
  };
  return { gateway, asked };
}

/** What a search shows for a term. */
export async function found(question: Question | undefined, term?: string): Promise<readonly Choice[]> {
  if (question?.type !== 'search') throw new Error(`no search: ${question?.type}`);
  return question.source(term, { signal: new AbortController().signal });
}
