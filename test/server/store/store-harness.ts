/** A store on a fake disk, and all that a test of faults needs around it. */
import type { Disk } from '../../../src/server/store/json/disk.ts';
import type { StoreEvent } from '../../../src/server/store/json/events.ts';
import type { FileStore, FileStoreOptions } from '../../../src/server/store/json/file-store.ts';
import type { StoreOpenError } from '../../../src/server/store/json/open-error.ts';
import { FakeDisk, type Loss } from './fake-disk.ts';
import { FakeMachine } from './fake-processes.ts';
import { openStore } from './temp-store.ts';

const directory = '/store';
export const files = {
  marker: `${directory}/iam-store.json`,
  checkpoint: `${directory}/iam.json`,
  previous: `${directory}/iam.previous.json`,
  wal: `${directory}/journal.jsonl`,
  nextWal: `${directory}/journal.next.jsonl`,
};

export class StoreHarness {
  disk: FakeDisk;
  readonly events: StoreEvent[] = [];
  readonly machine = new FakeMachine();
  #process: ReturnType<FakeMachine['start']> | undefined;

  readonly #wrap: (disk: Disk) => Disk;

  /** @param wrap what the store gets in the place of the disk: another one in between. */
  constructor(disk = new FakeDisk(), wrap: (disk: Disk) => Disk = (same) => same) {
    this.disk = disk;
    this.#wrap = wrap;
  }

  /** Opens the store in a new process; the one before is killed. */
  open(options: Partial<FileStoreOptions> = {}): Promise<FileStore> {
    this.#process?.kill();
    this.#process = this.machine.start();
    const log = (event: StoreEvent) => void this.events.push(event);
    const disk = this.#wrap(this.disk);
    return openStore(directory, { disk, processes: this.#process, log, ...options });
  }

  /** Why the store can't be opened. */
  async refusal(): Promise<StoreOpenError> {
    const outcome = await this.open().then(
      () => undefined,
      (error: StoreOpenError) => error,
    );
    if (outcome === undefined) throw new Error('The store was opened.');
    return outcome;
  }

  crash(loss: Loss): void {
    this.disk = this.disk.afterCrash(loss);
  }

  /** A copy in which things can be broken. */
  copy(): StoreHarness {
    return new StoreHarness(this.disk.afterCrash('nothing'), this.#wrap);
  }

  async names(): Promise<readonly string[]> {
    return (await this.disk.list(directory)) ?? [];
  }

  bytes(file: string): Buffer {
    const bytes = this.disk.contents(file);
    if (bytes === undefined) throw new Error(`There is no ${file}.`);
    return bytes;
  }

  /** The contents of the files that were kept aside. */
  async quarantinedFiles(): Promise<Buffer[]> {
    const names = (await this.names()).filter((name) => name.endsWith('.broken'));
    return names.map((name) => this.bytes(`${directory}/${name}`));
  }

  path(name: string): string {
    return `${directory}/${name}`;
  }
}
