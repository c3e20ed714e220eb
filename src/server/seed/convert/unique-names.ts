/** Names that must be unique: a taken one gets a number. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The next number to try for a name: many names can begin alike. */
  readonly #numbers = new Map<string, number>();
  readonly #maxLength: number;
  readonly #fold: (name: string) => string;

  /** @param fold names whose results are equal are the same */
  constructor(maxLength: number, fold: (name: string) => string = (name) => name) {
    this.#maxLength = maxLength;
    this.#fold = fold;
  }

  reserve(names: Iterable<string>): void {
    for (const name of names) this.#taken.add(this.#fold(name));
  }

  /**
   * The name, cut to the maximum length, or with the first free number. It is taken from now on.
   * @param isTaken further names that are not free
   */
  allocate(name: string, isTaken: (name: string) => boolean = () => false): string {
    let free = cut(name, this.#maxLength);
    const key = this.#fold(free);
    let number = this.#numbers.get(key) ?? 2;
    for (; this.#taken.has(this.#fold(free)) || isTaken(free); number += 1) {
      const suffix = `-${number}`;
      free = `${cut(name, this.#maxLength - suffix.length)}${suffix}`;
    }
    if (number > 2) this.#numbers.set(key, number);
    this.reserve([free]);
    return free;
  }
}

function cut(name: string, length: number): string {
  if (name.length <= length) return name;
  return [...name].slice(0, length).join('').trimEnd();
}
