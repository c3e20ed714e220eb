/**
 * Shares the connections of a server between sources. One source may hold all of them, as long as no other wants one; then
 * the source that holds the most gives one up for each newcomer of a source that holds fewer.
 */
import { Largest } from '../largest.ts';
import { LinkedList, type ListNode } from '../linked-list.ts';

/** `silent` has sent no request yet, `busy` has a request under way, `idle` waits for the next one. */
export type Phase = 'silent' | 'busy' | 'idle';

/** The connections of one source, those that are in their phase longest first. */
type SourceConnections<Connection> = Readonly<Record<Phase, LinkedList<Connection>>>;

interface ConnectionEntry<Connection> {
  /** Missing for a trusted proxy: its connections are those of many sources. */
  readonly source: SourceConnections<Connection> | undefined;
  readonly network: string | undefined;
  phase: Phase;
  cell: ListNode<Connection> | undefined;
}

export interface ConnectionShareOptions<Connection> {
  readonly maxConnections: number;
  /** Whether the request that is under way has arrived as a whole. */
  hasArrived(connection: Connection): boolean;
}

export class ConnectionShare<Connection> {
  readonly #maxConnections: number;
  readonly #hasArrived: (connection: Connection) => boolean;
  readonly #entries = new Map<Connection, ConnectionEntry<Connection>>();
  readonly #sources = new Map<string, SourceConnections<Connection>>();
  readonly #largest = new Largest<SourceConnections<Connection>>();

  constructor({ maxConnections: most, hasArrived }: ConnectionShareOptions<Connection>) {
    this.#maxConnections = most;
    this.#hasArrived = hasArrived;
  }

  /** @returns the connection to close for it, which may be the new one itself; it counts no more. */
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

  setPhase(connection: Connection, phase: Phase): void {
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

  /** A connection of the source that holds most, where that is more than the source of the newcomer holds with it. */
  #findSurplus(newcomer: SourceConnections<Connection> | undefined): Connection | undefined {
    const { group } = this.#largest;
    const size = newcomer ? this.#largest.sizeOf(newcomer) : 1;
    return group && this.#largest.sizeOf(group) > size ? this.#findLeastUsed(group) : undefined;
  }

  /**
   * Idle ones first, then those that have sent no whole request. One whose request is handled is closed only where the
   * source holds no other: else slow requests could hold all connections. It is the one that was begun last.
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
