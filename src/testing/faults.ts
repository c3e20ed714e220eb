/** The fault rules of an in-process server. */
import type { AppContext } from '../server/app-context.ts';
import { FaultInput, parseFaultRule, removeFault, toFaultItem } from '../server/control/routes/faults/fault-items.ts';
import type { FaultInjector } from '../server/fault-injection/fault-injector.ts';
import { validateBody } from '../server/http/request-validation.ts';
import type { FaultOptions, FaultRecord } from './library-types.ts';
import { requireControlPlane } from './requests.ts';

export interface Faults {
  /** Returns the rules in the order in which they were added. */
  list(): FaultRecord[];
  /** Adds a rule: `{ operation: 'groups.get', nth: 1, effect: { status: 503 } }`. @throws Error if it is not valid. */
  add(rule: FaultOptions): FaultRecord;
  /** Deletes a rule. @throws Error if there is no rule with this id. */
  remove(id: string): void;
  /** Deletes all rules. */
  clear(): void;
}

/** Creates the fault rules of the current app context. A server without control plane has none. */
export function createFaults(getContext: () => AppContext): Faults {
  const faults = (): FaultInjector => requireControlPlane(getContext().observability, 'Fault injection').faults;
  return {
    list: () => faults().list().map(toFaultItem),
    add: (rule) => toFaultItem(faults().add(parseFaultRule(validateBody(FaultInput, rule) as FaultOptions))),
    remove: (id) => removeFault(faults(), id),
    clear: () => faults().clear(),
  };
}
