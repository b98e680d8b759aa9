# docker build -t learnkernels .
# docker run --rm learnkernels                                    the demo
# docker run --rm -v "$PWD:/data" learnkernels fit data.csv --target y --save model.lk
# docker run --rm -v "$PWD:/data" -p 8000:8000 -e MODEL=model.lk --entrypoint uvicorn learnkernels \
#     --app-dir /app --host 0.0.0.0 --factory app:create_app        the service of examples/serving
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN wheel=$(ls /wheels/*.whl) \
    && pip install --no-cache-dir "$wheel[dask,parquet,report]" fastapi uvicorn \
    && useradd --create-home user \
    && mkdir /data \
    && chown user /data
COPY examples/serving/app.py /app/
USER user
# Compiled functions are kept in the home of the user: compile once, while the image is built.
RUN python -c "import learnkernels as lk; from sklearn.datasets import load_wine; \
    lk.KernelClassifier().fit(*load_wine(return_X_y=True))"
WORKDIR /data
ENTRYPOINT ["learnkernels"]
CMD ["demo"]
