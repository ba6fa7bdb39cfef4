/** The bytes are no Avro file that is read here. The message quotes nothing of them. */
export class AvroProblem extends Error {
  override readonly name = 'AvroProblem';
}
