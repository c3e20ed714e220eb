/** The search and the filters of a list, in one line that stays visible. */
import type { ReactNode } from 'react';

export function FilterLine({ children }: { readonly children: ReactNode }) {
  return <div className="filters">{children}</div>;
}
