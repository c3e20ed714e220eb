/** Builds the cases of scenarios that write. */
import type { CaseRequest, ConformanceCase } from '../case.ts';

type StepOptions = Partial<Pick<ConformanceCase, 'save' | 'undo' | 'deletes'>>;

/** A request with the operation's normal result. */
export function step(
  operation: string,
  name: string,
  request: CaseRequest,
  options: StepOptions = {},
): ConformanceCase {
  return { operation, name, kind: 'write', isSuccess: true, request, ...options };
}

/** A request that is refused because of the state, or because one field is wrong. */
export function refusedStep(
  operation: string,
  name: string,
  request: CaseRequest,
  options: StepOptions = {},
): ConformanceCase {
  return { operation, name, kind: 'write', request, ...options };
}
