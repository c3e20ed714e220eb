/**
 * Shares the connections of a server between sources. One source may hold all of them, as long as no other wants one; then
 * the source that holds the most gives one up for each newcomer of a source that holds fewer.
 */
import { Largest } from '../largest.ts';
import { type Cell, LinkedList } from '../linked-list.ts';

/** `silent` has sent no request yet, `busy` has a request under way, `idle` waits for the next one. */
export type Phase = 'silent' | 'busy' | 'idle';

/** The connections of one source, those that are in their phase longest first. */
type Holder<Connection> = Readonly<Record<Phase, LinkedList<Connection>>>;

interface Place<Connection> {
  /** Missing for a trusted proxy: its connections are those of many sources. */
  readonly holder: Holder<Connection> | undefined;
  readonly network: string | undefined;
  phase: Phase;
  cell: Cell<Connection> | undefined;
}

export interface ShareOptions<Connection> {
  readonly most: number;
  /** Whether the request that is under way has arrived as a whole. */
  hasArrived(connection: Connection): boolean;
}

export class ConnectionShare<Connection> {
  readonly #most: number;
  readonly #hasArrived: (connection: Connection) => boolean;
  readonly #places = new Map<Connection, Place<Connection>>();
  readonly #holders = new Map<string, Holder<Connection>>();
  readonly #largest = new Largest<Holder<Connection>>();

  constructor({ most, hasArrived }: ShareOptions<Connection>) {
    this.#most = most;
    this.#hasArrived = hasArrived;
  }

  /** @returns the connection to close for it, which may be the new one itself; it counts no more. */
  add(connection: Connection, network: string | undefined): Connection | undefined {
    const holder = network === undefined ? undefined : this.#holderOf(network);
    const cell = holder?.silent.push(connection);
    this.#places.set(connection, { holder, network, phase: 'silent', cell });
    if (holder) this.#largest.grow(holder);
    if (this.#places.size <= this.#most) return undefined;
    const surplus = this.#surplusFor(holder) ?? connection;
    this.remove(surplus);
    return surplus;
  }

  move(connection: Connection, phase: Phase): void {
    const place = this.#places.get(connection);
    if (!place?.holder || !place.cell) return;
    place.holder[place.phase].remove(place.cell);
    place.phase = phase;
    place.cell = place.holder[phase].push(connection);
  }

  remove(connection: Connection): void {
    const place = this.#places.get(connection);
    if (!place) return;
    this.#places.delete(connection);
    const { holder, network, phase, cell } = place;
    if (!holder || !cell) return;
    holder[phase].remove(cell);
    this.#largest.shrink(holder);
    if (this.#largest.sizeOf(holder) === 0) this.#holders.delete(network ?? '');
  }

  /** A connection of the source that holds most, where that is more than the source of the newcomer holds with it. */
  #surplusFor(newcomer: Holder<Connection> | undefined): Connection | undefined {
    const { group } = this.#largest;
    const size = newcomer ? this.#largest.sizeOf(newcomer) : 1;
    return group && this.#largest.sizeOf(group) > size ? this.#leastUsed(group) : undefined;
  }

  /**
   * Idle ones first, then those that have sent no whole request. One whose request is handled is closed only where the
   * source holds no other: else slow requests could hold all connections. It is the one that was begun last.
   */
  #leastUsed({ idle, silent, busy }: Holder<Connection>): Connection | undefined {
    const spare = idle.first ?? silent.first;
    if (spare) return spare.value;
    for (let cell = busy.first; cell; cell = cell.next) if (!this.#hasArrived(cell.value)) return cell.value;
    return busy.last?.value;
  }

  #holderOf(network: string): Holder<Connection> {
    const holder = this.#holders.get(network) ?? {
      silent: new LinkedList<Connection>(),
      busy: new LinkedList<Connection>(),
      idle: new LinkedList<Connection>(),
    };
    this.#holders.set(network, holder);
    return holder;
  }
}
