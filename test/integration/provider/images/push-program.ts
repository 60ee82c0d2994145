import { pushImages } from "../../../../provider/images/push";

/** Runs in the lab's network: pushes the images that the environment lists. */
const { place, folder, files } = JSON.parse(process.env.PUSH!);
pushImages(place, folder, files, text => console.log(text)).catch(error => {
    console.error(error.message);
    process.exitCode = 1;
});
