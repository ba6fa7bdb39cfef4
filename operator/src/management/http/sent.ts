/** What a call has sent, beside its path. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { CLIENT_ADDRESS_HEADER } from '@gatehouse/crds/rest';
import type { FastifyRequest } from 'fastify';
import { maskedText } from '../audit/index.ts';

export interface Sent {
  /** As they came, with secrets. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Of the connection to the gateway, else to this server. */
  readonly address: string | undefined;
  /** Of a call that was understood, with secrets. */
  readonly query?: unknown;
  readonly body?: unknown;
}

/** Gateways say from where they were called. */
export function sentWith({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): Sent {
  const { [CLIENT_ADDRESS_HEADER]: told } = headers;
  const address = typeof told === 'string' && isIP(told) !== 0 ? told : socket.remoteAddress;
  return { headers, address: address?.replace(/^::ffff:(?=\d+\.)/i, '') };
}

/** The same as gateways have on the answer. */
const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

/** That of the gateway; a text with a credential in it is none. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-gw-trace-id'];
  if (typeof given !== 'string' || !REQUEST_ID.test(given) || maskedText(given) !== given) return randomUUID();
  return given;
}
