/** Whether the screen is that of a phone, or of a tablet beside the menu. In console.css as well. */
import { useMediaQuery } from '@mantine/hooks';

export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 63.99em)', undefined, { getInitialValueInEffect: false }) ?? false;
}
