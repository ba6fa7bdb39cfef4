/** Connections to webhooks: never to metadata services or to the machine itself, whatever a name resolves to. */
import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { checkBaseUrl, destinationOf, isLoopback, isMetadata, parseAddress } from '@gatehouse/crds/hosts';
import { Agent, type Dispatcher } from 'undici';

export interface Guard {
  /** Why the URL may not be called; undefined: it may. */
  problemOf(url: string): string | undefined;
  /** Why a connection to the address is refused. */
  addressProblem(address: string): string | undefined;
}

/** `ownNamespaces` contain only the installation itself. */
export function createGuard(ownNamespaces: readonly string[]): Guard {
  return {
    problemOf: (url) => {
      const checked = checkBaseUrl(url, ownNamespaces);
      return checked.ok ? addressProblem(destinationOf(checked.value).host) : checked.error;
    },
    addressProblem,
  };
}

/** Of a name that is no address: none. */
function addressProblem(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return text === 'localhost' ? LOOPBACK : undefined;
  if (isMetadata(address)) return 'it is a cloud metadata address';
  return isLoopback(address) ? LOOPBACK : undefined;
}

const LOOPBACK = "it is the operator's own machine";

/** A client that resolves names itself and refuses a name of which any address is refused. */
export function createGuardedAgent(guard: Pick<Guard, 'addressProblem'>, timeoutMs: number): Dispatcher {
  const lookup: LookupFunction = (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const problem = addresses.map(({ address }) => guard.addressProblem(address)).find((text) => text !== undefined);
      const [first] = addresses;
      if (problem !== undefined || first === undefined)
        return callback(new Error(problem ?? 'there is no address'), '');
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
  return new Agent({ connections: 4, connect: { timeout: timeoutMs, lookup } });
}
