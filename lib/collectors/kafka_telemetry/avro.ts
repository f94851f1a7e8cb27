/**
 * Turns a message in Avro's binary encoding into a record. It is handed to the collector by an entry that has a codec and
 * schemas; without one, Avro messages are counted and not read.
 */
export interface AvroDecoder {
  /**
   * @param schemaId the id in Confluent's framing
   * @returns the record in plain form (numbers as numbers; unions as their value, or in Avro's JSON encoding); undefined where the schema is
   * not known or the bytes do not fit it
   */
  decode(schemaId: number, body: Uint8Array): unknown;
}
