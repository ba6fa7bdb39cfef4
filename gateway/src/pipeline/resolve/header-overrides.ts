/** Headers that overrule the config: docs/reference/headers.md. */
import { AppError } from '../../errors/index.ts';
import { parseHeaderList } from '../../lib/header-list.ts';
import { checkCustomHost, type HostPolicy } from '../../upstream/host-guard/index.ts';
import type { ClientRequest } from '../exchange.ts';

/** What may be refused is read at once, the rest by those who need it. */
export class HeaderOverrides {
  readonly #request: ClientRequest;
  readonly requestTimeoutMs: number | undefined;
  readonly customHost: string | undefined;

  /** Throws HEADER_INVALID or CUSTOM_HOST_REFUSED. */
  constructor(request: ClientRequest, hosts: HostPolicy) {
    this.#request = request;
    this.requestTimeoutMs = readTimeout(request.header('x-gw-request-timeout'));
    this.customHost = readCustomHost(request.header('x-gw-custom-host'), hosts);
  }

  get forwardHeaders(): readonly string[] | undefined {
    const forward = this.#request.header('x-gw-forward-headers');
    return forward === undefined ? undefined : parseHeaderList(forward);
  }

  /** The header switches strictness off; nothing switches it on again. */
  get relaxed(): boolean {
    return this.#request.header('x-gw-strict-open-ai-compliance')?.trim().toLowerCase() === 'false';
  }

  get cacheNamespace(): string | undefined {
    return this.#request.header('x-gw-cache-namespace');
  }

  get cacheRefresh(): boolean {
    return this.#request.header('x-gw-cache-force-refresh')?.trim().toLowerCase() === 'true';
  }

  /** `Cache-Control` of the request. */
  get cacheControl(): string | undefined {
    return this.#request.header('cache-control');
  }
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 86_400_000) return value;
  throw new AppError('HEADER_INVALID', {
    param: 'x-gw-request-timeout',
    detail: 'x-gw-request-timeout must be a whole number of milliseconds, at most 86400000',
  });
}

function readCustomHost(text: string | undefined, hosts: HostPolicy): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const checked = checkCustomHost(text, hosts, 'request');
  if (checked.ok) return trimSlash(text.trim());
  throw new AppError('CUSTOM_HOST_REFUSED', {
    param: 'x-gw-custom-host',
    detail: `Invalid custom host passed: ${checked.error}`,
  });
}

const trimSlash = (text: string): string => text.replace(/\/+$/, '');
