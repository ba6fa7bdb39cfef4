import type { Controls } from './controls/index.ts';
import type { JsonObject } from './json.ts';
import type { Form } from './multipart.ts';
import type { ReceivedRequest } from './recorder.ts';
import type { Refusal, Reply } from './reply.ts';
import { createSeed, type Seed } from './seed.ts';

/** One request, with its parameters and controls. */
export class Exchange {
  readonly request: ReceivedRequest;
  /** The variable segments of the path, decoded. */
  readonly params: readonly string[];
  readonly controls: Controls;
  #query: URLSearchParams | undefined;
  #seed: Seed | undefined;

  constructor(request: ReceivedRequest, params: readonly string[], controls: Controls) {
    this.request = request;
    this.params = params;
    this.controls = controls;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.request.search);
    return this.#query;
  }

  get seed(): Seed {
    this.#seed ??= createSeed(this.request.path, this.request.body);
    return this.#seed;
  }
}

/** The error format of an API family. */
export interface Dialect {
  readonly overloadedStatus: number;
  errorBody(refusal: Refusal, request: ReceivedRequest): unknown;
  errorHeaders(seed: Seed, refusal: Refusal): Readonly<Record<string, string>>;
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** An exact path, or a pattern whose groups are the variable segments. */
  readonly path: string | RegExp;
  readonly dialect: Dialect;
}

/** A path of the mock and the input of its handler. `model`: where the model name is, which may contain controls. */
export type Route =
  | (RouteBase & { readonly input: 'none'; readonly handle: (exchange: Exchange) => Reply })
  | (RouteBase & {
      readonly input: 'json';
      readonly model?: 'path';
      readonly handle: (exchange: Exchange, body: JsonObject) => Reply;
    })
  | (RouteBase & { readonly input: 'form'; readonly handle: (exchange: Exchange, form: Form) => Reply });

/** Makes the routes of an API family that read no body. */
export const bodilessRoutes =
  (dialect: Dialect) =>
  (method: Route['method'], path: Route['path'], handle: (exchange: Exchange) => Reply): Route => ({
    method,
    path,
    dialect,
    input: 'none',
    handle,
  });
