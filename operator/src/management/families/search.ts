/** Whether one of the names contains what is searched, in either case. */
export const matches = (search: string | undefined, names: readonly string[]): boolean =>
  search === undefined || names.some((name) => name.toLowerCase().includes(search.toLowerCase()));
