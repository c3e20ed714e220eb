/**
 * Shares the connections of a server between sources. One source may use all of them until another source connects;
 * then the source with the most connections loses one for each new connection of a source that has fewer.
 */

import { LinkedList, type ListNode } from '../../lib/linked-list.ts';
import { GroupSizes } from '../group-sizes.ts';

/** `silent`: no request yet; `busy`: a request in progress; `idle`: waiting for the next request. */
export type ConnectionPhase = 'silent' | 'busy' | 'idle';

/** The connections of one source by phase, longest in the phase first. */
type SourceConnections<Connection> = Readonly<Record<ConnectionPhase, LinkedList<Connection>>>;

interface ConnectionEntry<Connection> {
  /** Undefined for a trusted proxy: its connections belong to many sources. */
  readonly source: SourceConnections<Connection> | undefined;
  readonly network: string | undefined;
  phase: ConnectionPhase;
  cell: ListNode<Connection> | undefined;
}

export interface ConnectionShareOptions<Connection> {
  readonly maxConnections: number;
  /** Returns whether the request in progress has been received completely. */
  hasArrived(connection: Connection): boolean;
}

export class ConnectionShare<Connection> {
  readonly #maxConnections: number;
  readonly #hasArrived: (connection: Connection) => boolean;
  readonly #entries = new Map<Connection, ConnectionEntry<Connection>>();
  readonly #sources = new Map<string, SourceConnections<Connection>>();
  readonly #largest = new GroupSizes<SourceConnections<Connection>>();

  constructor({ maxConnections, hasArrived }: ConnectionShareOptions<Connection>) {
    this.#maxConnections = maxConnections;
    this.#hasArrived = hasArrived;
  }

  /** @returns the connection to close in exchange, possibly the new one; it is already removed from the counts. */
  add(connection: Connection, network: string | undefined): Connection | undefined {
    const source = network === undefined ? undefined : this.#getOrCreateSource(network);
    const cell = source?.silent.push(connection);
    this.#entries.set(connection, { source, network, phase: 'silent', cell });
    if (source) this.#largest.grow(source);
    if (this.#entries.size <= this.#maxConnections) return undefined;
    const surplus = this.#findSurplus(source) ?? connection;
    this.remove(surplus);
    return surplus;
  }

  setPhase(connection: Connection, phase: ConnectionPhase): void {
    const entry = this.#entries.get(connection);
    if (!entry?.source || !entry.cell) return;
    entry.source[entry.phase].remove(entry.cell);
    entry.phase = phase;
    entry.cell = entry.source[phase].push(connection);
  }

  remove(connection: Connection): void {
    const entry = this.#entries.get(connection);
    if (!entry) return;
    this.#entries.delete(connection);
    const { source, network, phase, cell } = entry;
    if (!source || !cell) return;
    source[phase].remove(cell);
    this.#largest.shrink(source);
    if (this.#largest.sizeOf(source) === 0) this.#sources.delete(network ?? '');
  }

  /** A connection of the source with the most connections, if it has more than the new connection's source. */
  #findSurplus(newcomer: SourceConnections<Connection> | undefined): Connection | undefined {
    const { largest: group } = this.#largest;
    const size = newcomer ? this.#largest.sizeOf(newcomer) : 1;
    return group && this.#largest.sizeOf(group) > size ? this.#findLeastUsed(group) : undefined;
  }

  /**
   * Idle connections first, then those without a complete request. A connection whose request is being handled is closed
   * only if the source has no other (else slow requests could occupy all connections): the most recent one.
   */
  #findLeastUsed({ idle, silent, busy }: SourceConnections<Connection>): Connection | undefined {
    const spare = idle.first ?? silent.first;
    if (spare) return spare.value;
    for (let cell = busy.first; cell; cell = cell.next) if (!this.#hasArrived(cell.value)) return cell.value;
    return busy.last?.value;
  }

  #getOrCreateSource(network: string): SourceConnections<Connection> {
    const source = this.#sources.get(network) ?? {
      silent: new LinkedList<Connection>(),
      busy: new LinkedList<Connection>(),
      idle: new LinkedList<Connection>(),
    };
    this.#sources.set(network, source);
    return source;
  }
}
