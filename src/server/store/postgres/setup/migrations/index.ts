/** All versions of the schema, oldest first. */
import { initial } from './initial.ts';
import type { Migration } from './migration.ts';
import { replicas } from './replicas.ts';

export const migrations: readonly Migration[] = [initial, replicas];
