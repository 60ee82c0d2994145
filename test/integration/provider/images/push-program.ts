import { pushImages } from "../../../../provider/images/push";

/** Run within the lab's network: pushes what stands in the environment. */
const { place, folder, files } = JSON.parse(process.env.PUSH!);
pushImages(place, folder, files, text => console.log(text)).catch(error => {
    console.error(error.message);
    process.exitCode = 1;
});
