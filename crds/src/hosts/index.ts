/** Which hosts may be named, decided by name, address and port alone: the same checks for gateway, operator and command line. */
export { type Address, equivalentAddresses, isLoopback, isMetadata, isReserved, parseAddress } from './address.ts';
export {
  checkBaseUrl,
  type Destination,
  destinationOf,
  forbiddenProblem,
  MAX_HOST_TEXT,
  type OwnNamespaces,
  readBaseUrl,
} from './check-host.ts';
export {
  BLOCKED_PORTS,
  FORBIDDEN_DOMAINS,
  FORBIDDEN_HOSTS,
  METADATA_RANGES,
  NETWORK_DOMAINS,
  PRIVATE_TLDS,
  REBINDING_DOMAINS,
} from './lists.ts';
export { domainsOf, HOST_NAME, isForbiddenHost, isInDomains } from './names.ts';
export { gatewayPseudonym, gatewaysOf, toVia, VIA_HEADER } from './via.ts';
