/** Opens ClickHouse, for the log of a process and for commands. */
import type { ClickHouseClient } from '@clickhouse/client';
import { type ClickHouseAddress, clickHouseStatements, parseClickHouseUrl } from '@gatehouse/crds/logs';

export interface ClickHouseOptions {
  /** `https://USER:PASSWORD@HOST:8443`. */
  readonly url: string;
  /** Certificate authorities as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
}

const MAX_CONNECTIONS = 4;
/** A third of the CPU of gzip for the same bytes. Source: ClickHouse, HTTP interface, compression. */
const COMPRESSION = { codec: 'zstd', level: 1 } as const;
/** ClickHouseLogLevel.OFF, which is no type. */
const OFF = 127;

/** Throws an Error that names the part of the URL that is wrong, never its content. */
export function addressOf({ url }: ClickHouseOptions): ClickHouseAddress {
  const address = parseClickHouseUrl(url);
  if (!address.ok) throw new Error(`The URL of ClickHouse ${address.error}`);
  return address.value;
}

export interface Connecting {
  /** Of one statement. */
  readonly timeoutMs: number;
}

/** With the tables. Rejects with what the server or the network says. */
export async function openClickHouse(options: ClickHouseOptions, { timeoutMs }: Connecting): Promise<ClickHouseClient> {
  const address = addressOf(options);
  const { createClient } = await import('@clickhouse/client');
  const client = createClient({
    ...address,
    ...(options.ca === undefined ? {} : { tls: { ca_cert: Buffer.from(options.ca) } }),
    application: 'gatehouse-gateway',
    request_timeout: timeoutMs,
    max_open_connections: MAX_CONNECTIONS,
    compression: { request: COMPRESSION },
    use_multipart_params_auto: true, // ids of many rows are longer than an address may be
    log: { level: OFF }, // failures reach the log of the gateway
  });
  try {
    for (const query of clickHouseStatements()) await client.command({ query });
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}
