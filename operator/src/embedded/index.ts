/** The servers that the chart runs: their passwords are made once, and written for the fleets that use them. */
export { type EmbeddedOptions, keepPasswords } from './keep-passwords.ts';
export { EMBEDDED_SERVERS } from './servers.ts';
