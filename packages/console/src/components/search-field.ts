/** Marks the search field of a page, which the shortcut `/` focuses. */
export const searchField = { 'data-search': '' } as const;
