/** Names of groups that directories reserve for workspaces which such a group makes by itself. */
export const RESERVED_GROUP = /^ws-.+-role-.+$/;

export const isReservedGroup = (name: string): boolean => RESERVED_GROUP.test(name);
