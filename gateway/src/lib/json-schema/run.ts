/** One evaluation: its work, where it is, and what it finds. */
import type { SchemaResource } from '@gatehouse/crds/json-schema';
import type { RegexWork } from '../regex.ts';

/** Work without a pause, in units: a few ms. */
const SLICE_UNITS = 50_000;

/** The schema needs more work on this value than there is. */
export class WorkEnded extends Error {
  override readonly name = 'WorkEnded';
}

/** Counts work in the units of patterns, with which it is shared. */
export class Work {
  readonly regex: RegexWork;
  #sliceEnd = 0;

  constructor(regex: RegexWork) {
    this.regex = regex;
    this.startSlice();
  }

  startSlice(): void {
    this.#sliceEnd = this.regex.left - SLICE_UNITS;
  }

  /** True: the slice is over. Throws WorkEnded. */
  spend(units: number): boolean {
    this.regex.left -= units;
    if (this.regex.left <= 0) throw new WorkEnded();
    return this.regex.left < this.#sliceEnd;
  }
}

export interface SchemaError {
  /** JSON pointer of the value. */
  readonly path: string;
  readonly message: string;
}

/** Where a value is in the whole. */
export interface Place {
  readonly outer: Place | undefined;
  readonly key: string | number;
}

/** Resources that led to a schema. */
export interface Scope {
  readonly resource: SchemaResource;
  readonly outer: Scope | undefined;
}

/** Members and items that a schema has looked at. */
export class Evaluated {
  readonly names = new Set<string>();
  readonly items = new Set<number>();
  allNames = false;
  /** Items before this one. */
  firstItems = 0;

  add(other: Evaluated): void {
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
    this.allNames ||= other.allNames;
    this.firstItems = Math.max(this.firstItems, other.firstItems);
  }

  /** What `add` costs, in units. */
  get units(): number {
    return 8 * (this.names.size + this.items.size);
  }
}

export interface Frame {
  readonly work: Work;
  readonly depth: number;
  readonly scope: Scope | undefined;
  /** Present where something looks at it. */
  readonly evaluated: Evaluated | undefined;
  /** Present where errors are wanted, which makes the evaluation go on behind the first. */
  readonly errors: SchemaError[] | undefined;
  /** Known where errors are wanted. */
  readonly place: Place | undefined;
}

const MAX_ERRORS = 20;

/** Always false: the schema does not hold. */
export function fail({ errors, place }: Frame, message: string): false {
  if (errors !== undefined && errors.length < MAX_ERRORS) errors.push({ path: pointerOf(place), message });
  return false;
}

/** Whether a failure ends the evaluation: no errors are wanted, or no more. */
export const isEnough = ({ errors }: Frame): boolean => errors === undefined || errors.length >= MAX_ERRORS;

function pointerOf(place: Place | undefined): string {
  const steps: string[] = [];
  for (let at = place; at !== undefined; at = at.outer) {
    steps.push(`/${String(at.key).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return steps.reverse().join('');
}

/** For the value of a member or an item. */
export const below = (frame: Frame, key: string | number): Frame => ({
  ...frame,
  evaluated: undefined,
  place: frame.errors && { outer: frame.place, key },
});

/** For a schema that may fail while the whole holds. */
export const apart = (frame: Frame): Frame => ({
  ...frame,
  evaluated: frame.evaluated && new Evaluated(),
  errors: undefined,
});
