import type { RequestOptions } from 'node:https';
import type { KubeConfig as Config } from '@kubernetes/client-node';

/** Where the API server and the credentials come from. */
export type ClusterSource =
  /** The service account of the pod; its token and CA files are read again as they rotate. */
  | { readonly inCluster: true }
  /** A kubeconfig file with tokens, client certificates or exec plugins. */
  | { readonly kubeConfig: string; readonly context?: string | undefined }
  /** An address and a bearer token; `caPem` is the server's certificate authority. */
  | { readonly server: string; readonly token?: string | undefined; readonly caPem?: string | undefined };

export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

export interface Access {
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  /** The current credentials. Rejects when a file or exec plugin fails. */
  credentials(): Promise<Credentials>;
  /** Reads everything from the source again, after the server has refused the credentials. */
  renew(): Promise<void>;
}

/** Below the 60 s for which client-node keeps a token file; a read costs no I/O while that holds. */
const KEPT_MS = 10_000;
/** A server that refuses valid credentials must not cause an exec plugin run per call. */
const MIN_RENEWAL_MS = 5_000;

/** Opens a source; rejects when there is no such file, context or pod environment. */
export async function openAccess(source: ClusterSource): Promise<Access> {
  let config = await load(source);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current context');
  let kept: { readonly until: number; readonly value: Promise<Credentials> } | undefined;
  let renewableFrom = 0;
  return {
    server: new URL(cluster.server),
    proxyUrl: cluster.proxyUrl,
    credentials: () => {
      const now = performance.now();
      if (kept === undefined || now > kept.until) {
        const value = read(config);
        const entry = { until: now + KEPT_MS, value };
        kept = entry;
        value.catch(() => {
          if (kept === entry) kept = undefined;
        });
      }
      return kept.value;
    },
    renew: async () => {
      if (performance.now() < renewableFrom) return;
      renewableFrom = performance.now() + MIN_RENEWAL_MS;
      config = await load(source);
      kept = undefined;
    },
  };
}

async function load(source: ClusterSource): Promise<Config> {
  // Not through the package's entry, which loads its 700 models: 15 MB in a bundle and 100 MB at run time. Loaded only when
  // needed.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  if ('inCluster' in source) config.loadFromCluster();
  else if ('kubeConfig' in source) {
    config.loadFromFile(source.kubeConfig);
    if (source.context !== undefined) config.setCurrentContext(source.context);
  } else config.loadFromClusterAndUser(...toEntries(source));
  return config;
}

function toEntries({ server, token, caPem }: Extract<ClusterSource, { server: string }>) {
  const caData = caPem === undefined ? {} : { caData: Buffer.from(caPem).toString('base64') };
  // client-node refuses plain HTTP unless TLS verification is off.
  const cluster = { name: 'cluster', server, skipTLSVerify: server.startsWith('http:'), ...caData };
  return [cluster, { name: 'user', ...(token === undefined ? {} : { token }) }] as const;
}

async function read(config: Config): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value).trim();
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  // client-node fills these with one string or Buffer each; the type of Node allows lists.
  const tls = { ca, cert, key, servername, rejectUnauthorized } as TlsMaterial;
  return { headers, tls: dropUndefined(tls) };
}

function dropUndefined(tls: TlsMaterial): TlsMaterial {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}
