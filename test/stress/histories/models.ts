/** What each kind of key does, one operation after the other. */
import type { Model, Operation } from './history.ts';

/** After an operation of unknown outcome: a value that no client knows. */
const unknownValue = '?';

/**
 * A group of one name; its state is its role, which each write changes, or '' without a group: a register with
 * compare-and-set, and one entry of the set of unique names.
 */
export const groupModel: Model = {
  name: 'group',
  step(state, { kind, input, expected, output }) {
    const isMatch = state !== '' && (expected === undefined || expected === state);
    switch (`${kind} ${output ?? 'done'}`) {
      case 'create done':
        return state === '' ? input : undefined;
      case 'create taken':
        return state === '' ? undefined : state;
      case 'update done':
        return isMatch ? input : undefined;
      case 'delete done':
        return isMatch ? '' : undefined;
      case 'update changed':
      case 'delete changed':
        return state === '' || isMatch ? undefined : state;
      case 'update missing':
      case 'delete missing':
        return state === '' ? state : undefined;
      default:
        return kind === 'read' && output === state ? state : undefined;
    }
  },
};

const ended = 'ended';

/** A session; its state is its only refresh token that can be used. The use of any other one ends it. */
export const sessionModel: Model = {
  name: 'session',
  step(state, { kind, input, output }) {
    const isAlive = state !== ended;
    switch (kind) {
      case 'renew':
        if (output === 'rejected') return input === state ? undefined : ended;
        if (output === undefined && isAlive && input !== state) return ended;
        return input === state ? (output ?? unknownValue) : undefined;
      case 'end':
        return isAlive === (output !== 'missing') ? ended : undefined;
      default:
        return output === (isAlive ? 'alive' : ended) ? state : undefined;
    }
  },
};

/** The codes of a user for one purpose; its state is the code that can be used, or ''. A new one replaces it. */
export const codeModel: Model = {
  name: 'code',
  step(state, operation) {
    if (operation.kind === 'issue') return operation.output ?? unknownValue;
    return useCode(state, operation);
  },
};

function useCode(state: string, { input, output }: Operation): string | undefined {
  if (output === 'invalid') return input === state ? undefined : state;
  return input === state ? '' : undefined;
}
