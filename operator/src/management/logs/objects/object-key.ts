const KEY = /^[\w-]+(?:\/[\w-]+)+\.json$/;

/** Whether gateways make such keys: no other object is read, whatever a row says. */
export const isObjectKey = (key: string): boolean => KEY.test(key);
