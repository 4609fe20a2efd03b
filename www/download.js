// @ts-check
/**
 * Hands the reader a file.
 * @param {string} fileName
 * @param {Blob} blob
 */
export function download(fileName, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers read the address only after the click has returned.
  window.setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * Draws an SVG text on a canvas at twice its size.
 * @param {{ svg: string, width: number, height: number }} chart
 * @returns {Promise<Blob>}
 */
export async function pngOf({ svg, width, height }) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * 2;
    canvas.height = height * 2;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no PNG"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
