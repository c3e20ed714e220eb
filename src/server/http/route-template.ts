/** The paths of operations, with their parameters as names. */
import type { Operation } from '../../contract/operation.ts';
import { servicePrefix } from '../../contract/prefix.ts';

/** Returns the path at which an operation is served, such as `/groups/{groupId}` below the prefix of the service. */
export function routeOf({ mount, path }: Pick<Operation<never>, 'mount' | 'path'>): string {
  return mount === 'base' ? path : servicePrefix + path;
}
