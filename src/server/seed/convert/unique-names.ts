/** Names that must be unique: a taken one gets a number. */
export class UniqueNames {
  readonly #taken = new Set<string>();
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
    for (let number = 2; this.#taken.has(this.#fold(free)) || isTaken(free); number += 1) {
      const suffix = `-${number}`;
      free = `${cut(name, this.#maxLength - suffix.length)}${suffix}`;
    }
    this.reserve([free]);
    return free;
  }
}

function cut(name: string, length: number): string {
  if (name.length <= length) return name;
  return [...name].slice(0, length).join('').trimEnd();
}
