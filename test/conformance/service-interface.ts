/** The given interface of the service, from test/fixtures/service-interface.txt. */
import { readSource } from './source-files.ts';

export interface InterfaceOperation {
  readonly id: string;
  readonly method: string;
  /** Relative to the service prefix. */
  readonly path: string;
  readonly auth: string;
  /** With `200e` where 200 with an error array is documented. */
  readonly statuses: readonly string[];
  readonly roles: string;
}

function parseOperation(line: string): InterfaceOperation {
  const [id = '', request = '', auth = '', statuses = '', roles = ''] = line.split(' | ');
  const [method = '', path = ''] = request.split(' ');
  return { id, method, path, auth, statuses: statuses.split(' '), roles };
}

/** In the order of the interface. */
export const interfaceOperations: readonly InterfaceOperation[] = readSource('test/fixtures/service-interface.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(parseOperation);
