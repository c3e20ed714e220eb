/** All defects that can be planted. */
import { plants as plantsOfDisk } from './planted-disk.ts';
import { plantsOfOrder } from './planted-order.ts';
import { plantsOfService } from './planted-service.ts';

/** What each defect does, in the words of `--help`. */
export const plants: Readonly<Record<string, string>> = { ...plantsOfDisk, ...plantsOfOrder, ...plantsOfService };
