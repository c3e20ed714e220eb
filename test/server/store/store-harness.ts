/** A store on a fake disk, for tests of failures. */
import type { Disk } from '../../../src/server/store/file/disk.ts';
import type { StoreEvent } from '../../../src/server/store/file/events.ts';
import type { FileStore, FileStoreOptions } from '../../../src/server/store/file/file-store.ts';
import type { StoreOpenError } from '../../../src/server/store/open-error.ts';
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

  /** @param wrap wraps the disk that the store uses. */
  constructor(disk = new FakeDisk(), wrap: (disk: Disk) => Disk = (same) => same) {
    this.disk = disk;
    this.#wrap = wrap;
  }

  /** Opens the store in a new process and kills the previous one. */
  open(options: Partial<FileStoreOptions> = {}): Promise<FileStore> {
    this.#process?.kill();
    this.#process = this.machine.start();
    const log = (event: StoreEvent) => void this.events.push(event);
    const disk = this.#wrap(this.disk);
    return openStore(directory, { disk, processes: this.#process, log, ...options });
  }

  /** Returns the error of opening the store. */
  async catchOpenError(): Promise<StoreOpenError> {
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

  /** An independent copy. */
  copy(): StoreHarness {
    return new StoreHarness(this.disk.afterCrash('nothing'), this.#wrap);
  }

  async names(): Promise<readonly string[]> {
    return (await this.disk.list(directory)) ?? [];
  }

  bytes(file: string): Buffer {
    const bytes = this.disk.contents(file);
    if (bytes === undefined) throw new Error(`File not found: ${file}`);
    return bytes;
  }

  /** The contents of the quarantined files. */
  async quarantinedFiles(): Promise<Buffer[]> {
    const names = (await this.names()).filter((name) => name.endsWith('.broken'));
    return names.map((name) => this.bytes(`${directory}/${name}`));
  }

  path(name: string): string {
    return `${directory}/${name}`;
  }
}
