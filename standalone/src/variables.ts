/** What standalone reads from the environment besides the gateway's own variables. */
export const ADMIN_KEY = 'GATEHOUSE_ADMIN_KEY';
/** `GATEHOUSE_SECRET_<NAME>_<KEY>`. */
export const SECRET_PREFIX = 'GATEHOUSE_SECRET_';

export const STANDALONE_VARIABLES: Readonly<Record<string, string>> = {
  [ADMIN_KEY]:
    "key of the organisation's admin, at least 32 characters; unset, one is made on the first start and printed once",
  [`${SECRET_PREFIX}<NAME>_<KEY>`]: 'value of an entry that the Secret in the folder lacks or leaves empty',
};
