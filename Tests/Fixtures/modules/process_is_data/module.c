// A variable called `process`: the host must refuse the library, because the function is missing.
float process = 1;
