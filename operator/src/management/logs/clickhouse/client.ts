/** Asks ClickHouse. */
import type { ClickHouseClient } from '@clickhouse/client';
import { err, ok, type Result } from '@gatehouse/crds';
import { clickHouseStatements, parseClickHouseUrl } from '@gatehouse/crds/logs';
import { DatabaseAway } from '../../database/index.ts';
import { LogQuestionTooLarge } from '../reader.ts';
import { Question } from './question.ts';

/** The rows of an answer; every number is one. Rejects with LogQuestionTooLarge, DatabaseAway, or with what the server says. */
export type AskClickHouse = <R>(write: (question: Question) => string) => Promise<readonly R[]>;

export interface ClickHouseConnection {
  readonly ask: AskClickHouse;
  /** A statement without an answer. Rejects as `ask` does. */
  change(write: (question: Question) => string): Promise<void>;
  close(): Promise<void>;
}

export interface ClickHouseOptions {
  /** `https://USER:PASSWORD@HOST:8443`. */
  readonly url: string;
  /** Certificate authorities as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
  /** Told once for each time that the server goes away. */
  readonly onAway: (error: unknown) => void;
}

const REQUEST_MS = 20_000;
const QUESTION_SECONDS = 15;
const MAX_CONNECTIONS = 8;
/** ClickHouseLogLevel.OFF, which is no type. */
const OFF = 127;

/** Opens nothing yet. Errors name the part of the URL, never its content. */
export function connectClickHouse({ url, ca, onAway }: ClickHouseOptions): Result<ClickHouseConnection, string> {
  const address = parseClickHouseUrl(url);
  if (!address.ok) return err(address.error);
  let opening: Promise<ClickHouseClient> | undefined;
  let isAway = false;
  const away = (error: unknown): DatabaseAway => {
    if (!isAway) onAway(error);
    isAway = true;
    return new DatabaseAway(AWAY, { cause: error });
  };
  const open = async (): Promise<ClickHouseClient> => {
    const { createClient } = await import('@clickhouse/client');
    const client = createClient({
      ...address.value,
      ...(ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } }),
      application: 'gatehouse-management',
      request_timeout: REQUEST_MS,
      max_open_connections: MAX_CONNECTIONS,
      use_multipart_params_auto: true, // addresses may have 1 MiB, with thousands of traces they have more
      clickhouse_settings: {
        max_execution_time: QUESTION_SECONDS,
        output_format_json_quote_64bit_integers: 0,
        output_format_json_quote_decimals: 0,
      },
      log: { level: OFF }, // failures reach the log of the management API
    });
    for (const query of clickHouseStatements()) await client.command({ query });
    return client;
  };
  const opened = (): Promise<ClickHouseClient> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined; // the next question tries again
      throw away(error);
    });
    return opening;
  };
  const run = async <R>(
    write: (question: Question) => string,
    send: (client: ClickHouseClient, statement: Statement) => Promise<R>,
  ): Promise<R> => {
    const question = new Question();
    const query = write(question);
    const client = await opened();
    try {
      const result = await send(client, { query, query_params: question.params });
      isAway = false;
      return result;
    } catch (error) {
      if (isTooLarge(error))
        throw new LogQuestionTooLarge('The question took too long: ask for a shorter time', { cause: error });
      throw isOfConnection(error) ? away(error) : error;
    }
  };
  return ok({
    ask: <R>(write: (question: Question) => string): Promise<readonly R[]> =>
      run(write, async (client, statement) => (await client.query({ ...statement, format: 'JSONEachRow' })).json<R>()),
    change: (write) => run(write, async (client, statement) => void (await client.command(statement))),
    close: async () => {
      await opening?.then((client) => client.close()).catch(() => undefined); // it was never open
    },
  });
}

interface Statement {
  readonly query: string;
  readonly query_params: Question['params'];
}

/** TIMEOUT_EXCEEDED, TOO_SLOW and MEMORY_LIMIT_EXCEEDED. */
const TOO_LARGE: ReadonlySet<string> = new Set(['159', '160', '241']);

const AWAY = 'The database of the request log cannot be reached; the log of the management API says why';

/**
 * Errors of sockets and TLS have names as codes, those of the server numbers. The client has no code for its own timeout, nor for what
 * a load balancer answers in place of the server.
 */
const isOfConnection = (error: unknown): boolean =>
  error instanceof Error && ('code' in error ? /^[A-Z][A-Z0-9_]+$/.test(String(error.code)) : error.name === 'Error');

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && TOO_LARGE.has(error.code);
