/** Checks of a host name without resolving it. Names are lower-case. */
import { FORBIDDEN_DOMAINS, FORBIDDEN_HOSTS } from './lists.ts';

/** Labels of digits and letters with hyphens; no underscores, no Unicode. */
export const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

const HTTPS_PORT = 443;

/** The name and each domain it lies in, e.g. `a.b.c`, `b.c`, `c`. */
export function domainsOf(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}

/** Whether a host is one of the domains or lies below one. */
export const isInDomains = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** Whether a host is cloud metadata or the Kubernetes API, under any cluster domain. */
export const isForbiddenHost = (host: string): boolean =>
  FORBIDDEN_HOSTS.includes(host) || isInDomains(host, FORBIDDEN_DOMAINS) || host.startsWith('kubernetes.default.svc.');

/**
 * Whether cluster DNS would look for the name in one of the namespaces: `NAME.NAMESPACE`, and anything before
 * `NAMESPACE.svc` or `NAMESPACE.pod`, under any cluster domain. On the port of https `NAME.NAMESPACE` is a name of the internet,
 * such as `mistral.ai`: no Service of an installation has that port.
 */
export function isInNamespaces(host: string, port: number, namespaces: readonly string[]): boolean {
  if (namespaces.length === 0) return false;
  const labels = host.split('.');
  return labels.some((label, at) => {
    const next = labels[at + 1];
    const ends = next === undefined ? labels.length === 2 && port !== HTTPS_PORT : next === 'svc' || next === 'pod';
    return at > 0 && ends && namespaces.includes(label);
  });
}
