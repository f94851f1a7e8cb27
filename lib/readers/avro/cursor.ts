/** A place in the bytes of a message, from which Avro's numbers are read. */
export class Cursor {
  protected bytes: Uint8Array = new Uint8Array(0);
  protected at = 0;

  /** A zigzag number. NaN where the bytes end, or a double does not hold it. */
  protected varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++];
    if (byte === undefined) return Number.NaN;
    if (byte < 0x80) return (byte >> 1) ^ -(byte & 1);
    let value = byte & 0x7f;
    let scale = 128;
    for (let i = 1; i < 10; i++) {
      byte = bytes[this.at++];
      if (byte === undefined) return Number.NaN;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
