/**
 * Object container files of Apache Avro, read while they arrive: one block is in memory at a time. Source: Apache Avro 1.11
 * specification, "Object Container Files", "Binary Encoding".
 */
export { AVRO_LIMITS, type AvroLimits, readAvro } from './container.ts';
export { AvroProblem } from './problem.ts';
export { Quota } from './quota.ts';
